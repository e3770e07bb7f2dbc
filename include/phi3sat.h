/* phi3sat.h - what programs that read phi3sat's files need to know. */
#ifndef PHI3SAT_H
#define PHI3SAT_H

#endif
