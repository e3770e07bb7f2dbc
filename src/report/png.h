/* png.h - small images inside pictures: shares as shades of one colour.
 *
 * Flow: shares of cells -> *PNG* -> base64 in SVG or HTML.
 */
#ifndef PHI3SAT_REPORT_PNG_H
#define PHI3SAT_REPORT_PNG_H

#include "html.h"

/* Writes an image of width x height palette entries pixels[height, width] as base64: 0 is transparent, 1 to 254 are ever denser
 * shades of `colour` (0xrrggbb) over whatever lies behind, 255 ("not measured") is grey. width and height are at most 65535 and
 * the image at most 2^30 bytes. */
void png_shades(struct html_base64 *to, const uint8_t *pixels, size_t width, size_t height, uint32_t colour);

#endif
