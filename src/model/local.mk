# src/model: configuration, weights, forward pass.
#
# A new source is one line:    %C%_libmodel_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_MODEL)

noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES =
%C%_libmodel_a_SOURCES += %D%/config.c %D%/config.h
%C%_libmodel_a_SOURCES += %D%/elementary.c %D%/elementary.h
%C%_libmodel_a_SOURCES += %D%/weights.c %D%/weights.h
%C%_libmodel_a_SOURCES += %D%/fingerprint.c %D%/fingerprint.h
%C%_libmodel_a_SOURCES += %D%/rotary.c %D%/rotary.h %D%/forward.c %D%/forward.h %D%/forward_state.h
%C%_libmodel_a_SOURCES += %D%/product.c %D%/attention.c %D%/ffn.c
