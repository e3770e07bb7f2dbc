# src/model: configuration, weights, forward pass.
#
# A new source is one line:    %C%_libmodel_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_MODEL)

noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES =
%C%_libmodel_a_SOURCES += %D%/band.c %D%/band.h %D%/batch_size.c %D%/batch_size.h
%C%_libmodel_a_SOURCES += %D%/config.c %D%/config.h
%C%_libmodel_a_SOURCES += %D%/elementary.c %D%/elementary.h
%C%_libmodel_a_SOURCES += %D%/weights.c %D%/weights.h
%C%_libmodel_a_SOURCES += %D%/footprint.c %D%/footprint.h
%C%_libmodel_a_SOURCES += %D%/fingerprint.c %D%/fingerprint.h
%C%_libmodel_a_SOURCES += %D%/rotary.c %D%/rotary.h %D%/forward.c %D%/forward.h %D%/forward_state.h
%C%_libmodel_a_SOURCES += %D%/lone_ffn.c %D%/lone_ffn.h
%C%_libmodel_a_SOURCES += %D%/lone_product.c %D%/lone_product.h %D%/lone_workspaces.h
%C%_libmodel_a_SOURCES += %D%/product.c %D%/attention.c %D%/ffn.c

EXTRA_DIST += tests/unit/network.h tests/unit/opened_model.h
check_PROGRAMS += tests/unit/test_band
tests_unit_test_band_LDADD = $(UNIT_MODEL)
check_PROGRAMS += tests/unit/test_caches
tests_unit_test_caches_LDADD = $(UNIT_MODEL)
check_PROGRAMS += tests/unit/test_elementary
tests_unit_test_elementary_LDADD = $(UNIT_MODEL)
check_PROGRAMS += tests/unit/test_config
tests_unit_test_config_LDADD = $(UNIT_MODEL)
check_PROGRAMS += tests/unit/test_weights
tests_unit_test_weights_LDADD = $(UNIT_MODEL)
tests_unit_test_weights_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_rotary
tests_unit_test_rotary_LDADD = $(UNIT_MODEL)
tests_unit_test_rotary_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_fingerprint
tests_unit_test_fingerprint_LDADD = $(UNIT_MODEL)
tests_unit_test_fingerprint_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_footprint
tests_unit_test_footprint_LDADD = $(UNIT_MODEL)
tests_unit_test_footprint_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
check_PROGRAMS += tests/unit/test_lone_product
tests_unit_test_lone_product_LDADD = $(UNIT_MODEL)
tests_unit_test_lone_product_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
EXTRA_DIST += tests/unit/plain_forward.h
check_PROGRAMS += tests/unit/test_forward
tests_unit_test_forward_LDADD = $(UNIT_MODEL)
tests_unit_test_forward_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY)
