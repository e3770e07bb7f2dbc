/* box_table.h - a small table in a box of ASCII lines, as wide as its cells.
 *
 * Flow: rows of text -> *box table* -> standard output.
 */
#ifndef PHI3SAT_REPORT_BOX_TABLE_H
#define PHI3SAT_REPORT_BOX_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define BOX_TABLE_COLUMNS 8
#define BOX_TABLE_CELL 64

/* Text of one byte a column. The first column stands to the left, others to the right. */
struct box_table_row {
    char cell[BOX_TABLE_COLUMNS][BOX_TABLE_CELL];
};

/* Row 0 has the titles. 1 <= columns <= BOX_TABLE_COLUMNS. Whether it could be written, the stream's error indicator tells. */
void box_table_write(FILE *to, const struct box_table_row *rows, size_t count, size_t columns);

#endif
