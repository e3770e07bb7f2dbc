/* utf8.h - UTF-8 as tokenizers see it: lengths by lead byte, lenient decoding.
 *
 * Tokenizers were trained on text, but users feed them bytes. These helpers
 * never fail and never read past `length`; what is malformed is told, and each
 * tokenizer decides what becomes of it.
 */
#ifndef PHI3SAT_TEXT_UTF8_H
#define PHI3SAT_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xFFFDu

/* Bytes of the character that `lead` promises: 1 (also for stray continuation
 * bytes), 2, 3 or 4. Nothing is promised about the bytes that follow. */
size_t utf8_promised(unsigned char lead);

/* Decodes one character of bytes[length], length > 0, by bit pattern only:
 * surrogates and overlong forms come out as the number they spell. Returns the
 * bytes used, or 0 when the pattern is broken or spells more than U+10FFFF. */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code);

/* Writes `code` (<= U+10FFFF; surrogates as three bytes) to out[4]; returns the
 * number of bytes. */
size_t utf8_encode(uint32_t code, char out[4]);

/* How many malformed sequences bytes[length] holds: as many as a decoder that
 * follows Unicode's "maximal subpart" advice would write U+FFFD. */
uint64_t utf8_malformed(const char *bytes, size_t length);

#endif
