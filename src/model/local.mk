# src/model: configuration, weights, forward pass.
#
# A new source is one line:    %C%_libmodel_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_MODEL)

noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES =
