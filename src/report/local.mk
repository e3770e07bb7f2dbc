# src/report: CSV, terminal, pictures.
#
# A new source is one line:    %C%_libreport_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_REPORT)

noinst_LIBRARIES += %D%/libreport.a
%C%_libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_libreport_a_SOURCES =
%C%_libreport_a_SOURCES += %D%/box_table.c %D%/box_table.h
%C%_libreport_a_SOURCES += %D%/csv.c %D%/csv.h
%C%_libreport_a_SOURCES += %D%/text_summary.c %D%/text_summary.h
%C%_libreport_a_SOURCES += %D%/prompt_lines.c %D%/prompt_lines.h
%C%_libreport_a_SOURCES += %D%/token_lines.c %D%/token_lines.h
%C%_libreport_a_SOURCES += %D%/printing.c %D%/printing.h
%C%_libreport_a_SOURCES += %D%/program_text.c %D%/program_text.h
%C%_libreport_a_SOURCES += %D%/manual.c %D%/manual.h %D%/completion.c %D%/completion.h
%C%_libreport_a_SOURCES += %D%/fact_sheet.c %D%/fact_sheet.h
%C%_libreport_a_SOURCES += %D%/figures.c %D%/figures.h
%C%_libreport_a_SOURCES += %D%/job_script.c %D%/job_script.h
%C%_libreport_a_SOURCES += %D%/prompt_notes.c %D%/prompt_notes.h
%C%_libreport_a_SOURCES += %D%/neuron_text.c %D%/neuron_text.h %D%/shown.c %D%/shown.h
%C%_libreport_a_SOURCES += %D%/compare_text.c %D%/compare_text.h %D%/compare_page.c %D%/compare_page.h
%C%_libreport_a_SOURCES += %D%/sure_text.c %D%/sure_text.h
%C%_libreport_a_SOURCES += %D%/gain_text.c %D%/gain_text.h %D%/plot_text.c %D%/plot_text.h
%C%_libreport_a_SOURCES += %D%/svg.c %D%/svg.h %D%/png.c %D%/png.h %D%/html.c %D%/html.h %D%/page_files.h
%C%_libreport_a_SOURCES += %D%/portrait.c %D%/portrait.h %D%/plots.c %D%/plots.h %D%/plots_values.c
%C%_libreport_a_SOURCES += %D%/page.c %D%/page.h %D%/page_parts.h %D%/page_first.c %D%/page_tables.c
%C%_libreport_a_SOURCES += %D%/page_thresholds.c %D%/page_data.c
%C%_libreport_a_SOURCES += %D%/export_zip.c %D%/export_zip.h %D%/export_npz.c %D%/export_npz.h
%C%_libreport_a_SOURCES += %D%/export_long.c %D%/export_long.h %D%/export_imatrix.c %D%/export_imatrix.h

# The page's styles and script are part of the program.
PAGE_FILES = src/report/page.css src/report/page.js
nodist_%C%_libreport_a_SOURCES = %D%/page_files.c
CLEANFILES += %D%/page_files.c
EXTRA_DIST += build-aux/embed-page.sh $(PAGE_FILES)
%D%/page_files.c: $(PAGE_FILES) build-aux/embed-page.sh
	$(AM_V_GEN)$(MKDIR_P) %D% && cd $(srcdir) && \
		$(SHELL) build-aux/embed-page.sh '$(abs_top_builddir)/%D%/page_files.c' $(PAGE_FILES)

check_PROGRAMS += tests/unit/test_csv
tests_unit_test_csv_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_fact_sheet
tests_unit_test_fact_sheet_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_figures
tests_unit_test_figures_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_prompt_notes
tests_unit_test_prompt_notes_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_plot_text
tests_unit_test_plot_text_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_sure_text
tests_unit_test_sure_text_LDADD = $(UNIT_REPORT)
check_PROGRAMS += tests/unit/test_text_summary
tests_unit_test_text_summary_LDADD = $(UNIT_REPORT)
