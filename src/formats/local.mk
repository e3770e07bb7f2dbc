# src/formats: GGUF, safetensors: one view of keys and tensors.
#
# A new source is one line:    %C%_libformats_a_SOURCES += %D%/FILE.c %D%/FILE.h
# A new unit test is two:      check_PROGRAMS += tests/unit/test_FILE
#                              tests_unit_test_FILE_LDADD = $(UNIT_FORMATS)

noinst_LIBRARIES += %D%/libformats.a
%C%_libformats_a_SOURCES =
%C%_libformats_a_SOURCES += %D%/model_file.h
