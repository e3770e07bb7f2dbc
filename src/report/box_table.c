/* box_table.c - see box_table.h. */
#include "box_table.h"

#include <string.h>

static void line(FILE *to, const size_t *width, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        fputc('+', to);
        for (size_t i = 0; i < width[c] + 2; i++)
            fputc('-', to);
    }
    fputs("+\n", to);
}

void box_table_write(FILE *to, const struct box_table_row *rows, size_t count, size_t columns)
{
    size_t width[BOX_TABLE_COLUMNS] = {0};
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < columns; c++) {
            const size_t length = strlen(rows[r].cell[c]);
            width[c] = length > width[c] ? length : width[c];
        }
    line(to, width, columns);
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < columns; c++)
            fprintf(to, c == 0 ? "| %-*s " : "| %*s ", (int)width[c], rows[r].cell[c]);
        fputs("|\n", to);
        if (r == 0)
            line(to, width, columns);
    }
    line(to, width, columns);
}
