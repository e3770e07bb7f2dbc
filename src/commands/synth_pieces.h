/* synth_pieces.h - word pieces for synth's vocabulary, separated by spaces, best first; "_" is U+2581. */
#ifndef PHI3SAT_COMMANDS_SYNTH_PIECES_H
#define PHI3SAT_COMMANDS_SYNTH_PIECES_H

extern const char synth_pieces[];

#endif
