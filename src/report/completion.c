/* completion.c - see completion.h.
 *
 * The script has a fixed part, which finds out what is being typed, and three `case`s made from the tables: the words
 * after a command, its options, and what an option takes. It doesn't ask the program, so that completing is instant on
 * a login node whose shared folder is slow; and it doesn't use the package bash-completion, which clusters may lack.
 */
#include "completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "program_text.h"

/* bash cuts --name=value into three words at the "="; where its user has switched that off, it is one. */
static const char head[] =
    "# Completion of phi3sat for bash. Made by phi3sat --completion bash from its option tables.\n"
    "\n"
    "_phi3sat()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=$COMP_CWORD front='' back=''\n"
    "    local command=profile commands='' options='' takes='' operands=none i\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == --*=* ]]; then\n"
    "        prev=${cur%%=*} front=${cur%%=*}=\n"
    "        cur=${cur#*=}\n"
    "    elif [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == = ]] && ((at > 2)); then\n"
    "        prev=${COMP_WORDS[at-2]}\n"
    "    fi\n";

static const char tail[] =
    "    case $takes in\n"
    "        '') ;;\n"
    "        files)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "            ;;\n"
    "        folders)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "            ;;\n"
    "        none) ;;\n"
    "        list\\ *)\n"
    "            [[ $cur != *,* ]] || back=${cur%,*},\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"${takes#list }\" -- \"${cur##*,}\")\n"
    "            ;;\n"
    "        files\\ *)\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"${takes#files }\" -- \"$cur\"; compgen -f -- \"$cur\")\n"
    "            ;;\n"
    "        *) mapfile -t COMPREPLY < <(compgen -W \"$takes\" -- \"$cur\") ;;\n"
    "    esac\n"
    "    if [[ -z $takes ]]; then\n"
    "        if [[ $cur == -* ]]; then\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"$options --help\" -- \"$cur\")\n"
    "        elif [[ -n $commands ]]; then\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$cur\")\n"
    "        elif [[ $operands == files ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "        fi\n"
    "    fi\n"
    "    for i in \"${!COMPREPLY[@]}\"; do COMPREPLY[i]=$front$back${COMPREPLY[i]}; done\n"
    "}\n"
    "complete -F _phi3sat phi3sat\n";

static bool is_command(const struct manual_page *page)
{
    return !strchr(page->name, ' ');
}

static bool is_under(const struct manual_page *page, const char *command)
{
    const size_t length = strlen(command);
    return strncmp(page->name, command, length) == 0 && page->name[length] == ' ';
}

/* The words of each level: `commands` while the first word is typed, and those behind a command that has some. A command
 * with words of its own and none of them given is its first one, as bench is bench ffn. */
static void put_words(const struct manual *m)
{
    fputs("    if ((at == 1)); then\n        commands='", stdout);
    for (size_t i = 0, n = 0; i < m->count; i++)
        if (is_command(&m->page[i]))
            printf("%s%s", n++ ? " " : "", m->page[i].name);
    fputs("'\n    else\n        case ${COMP_WORDS[1]} in\n            ", stdout);
    for (size_t i = 0, n = 0; i < m->count; i++)
        if (is_command(&m->page[i]))
            printf("%s%s", n++ ? " | " : "", m->page[i].name);
    fputs(") command=${COMP_WORDS[1]} ;;\n        esac\n    fi\n    case $command in\n", stdout);
    for (size_t i = 0; i < m->count; i++) {
        const char *first = NULL;
        for (size_t k = 0; k < m->count; k++) {
            if (!is_under(&m->page[k], m->page[i].name))
                continue;
            const char *word = strchr(m->page[k].name, ' ') + 1;
            if (!first)
                printf("        %s)\n            ((at != 2)) || commands='%s", m->page[i].name, word);
            else
                printf(" %s", word);
            first = first ? first : m->page[k].name;
        }
        if (!first)
            continue;
        fputs("'\n            case ${COMP_WORDS[2]} in\n                ", stdout);
        for (size_t k = 0, n = 0; k < m->count; k++)
            if (is_under(&m->page[k], m->page[i].name))
                printf("%s%s", n++ ? " | " : "", strchr(m->page[k].name, ' ') + 1);
        printf(") ((at == 2)) || command=\"%s ${COMP_WORDS[2]}\" ;;\n                *) command='%s' ;;\n"
               "            esac\n            ;;\n", m->page[i].name, first);
    }
    fputs("    esac\n", stdout);
}

/* Whether what follows the options is files, by the usage line's capitals outside brackets of options. */
static bool takes_files(const struct options_table *t)
{
    return t->operands_max > 0 && t->count > 0;
}

static void put_options(const struct manual *m)
{
    fputs("    case $command in\n", stdout);
    for (size_t i = 0; i < m->count; i++) {
        const struct options_table *t = m->page[i].table;
        printf("        '%s')%s options='", m->page[i].name, takes_files(t) ? " operands=files" : "");
        for (size_t k = 0, n = 0; k < t->count; k++)
            if (t->rows[k].kind != OPTIONS_HEADING)
                printf("%s--%s", n++ ? " " : "", t->rows[k].name);
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n    ((at != 1)) || options=\"$options", stdout);
    for (size_t k = 0; k < program_text_table.count; k++)
        printf(" --%s", program_text_table.rows[k].name);
    fputs("\"\n", stdout);
}

static void put_value(const struct options_row *row)
{
    const bool file = strstr(row->argument, "FILE") || strstr(row->argument, "ARCHIVE");
    const bool folder = strstr(row->argument, "FOLDER") && !file;
    const bool list = strcmp(row->argument, "LIST") == 0;
    if (!row->choices) {
        fputs(file ? "files" : folder ? "folders" : "none", stdout);
        return;
    }
    fputs(list ? "'list" : file ? "'files" : "'", stdout);
    for (size_t i = 0; row->choices[i]; i++)
        printf("%s%s", i || list || file ? " " : "", row->choices[i]);
    fputs("'", stdout);
}

static void put_values(const struct manual *m)
{
    fputs("    case \"$command $prev\" in\n", stdout);
    for (size_t i = 0; i < m->count; i++) {
        const struct options_table *t = m->page[i].table;
        for (size_t k = 0; k < t->count; k++) {
            const struct options_row *row = &t->rows[k];
            if (row->kind == OPTIONS_HEADING || row->kind == OPTIONS_FLAG)
                continue;
            printf("        '%s --%s'", m->page[i].name, row->name);
            if (row->letter)
                printf(" | '%s -%c'", m->page[i].name, row->letter);
            fputs(") takes=", stdout);
            put_value(row);
            fputs(" ;;\n", stdout);
        }
    }
    fputs("        'profile --manual') takes='", stdout);
    for (size_t i = 0, n = 0; i < m->count; i++)
        if (is_command(&m->page[i]))
            printf("%s%s", n++ ? " " : "", m->page[i].name);
    fputs("' ;;\n        'profile --completion') takes=bash ;;\n    esac\n", stdout);
}

enum status completion_print(const struct manual *m, struct error *e)
{
    fputs(head, stdout);
    put_words(m);
    put_options(m);
    put_values(m);
    fputs(tail, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(e, STATUS_OUTPUT, "standard output can't be written");
}
