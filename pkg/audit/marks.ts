/** Annotations by which the audit search tells what pages ask in the background. The server sets them, and no client can. */

/** Of reads of secrets whose answer has no values, by the form of the answer: names at most. */
export const WITHOUT_VALUES = 'management.svc.example/without-values';

/**
 * Of refused lists that a session of the console asked for, of kinds whose lists have only what the caller may see: there
 * is nothing of the kind that the caller may see.
 */
export const SEES_NONE = 'management.svc.example/sees-none';
