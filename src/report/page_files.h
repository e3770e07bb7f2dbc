/* page_files.h - the page's styles and script, lines of page.css and page.js (build-aux/embed-page.sh). */
#ifndef PHI3SAT_REPORT_PAGE_FILES_H
#define PHI3SAT_REPORT_PAGE_FILES_H

extern const char *const page_files_css[]; /* ended by NULL */
extern const char *const page_files_js[];

#endif
