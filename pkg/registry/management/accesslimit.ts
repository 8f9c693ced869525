/** Rules of `spec.access`: all of what they come to must fit one commit. */
export const MAX_ACCESS_RULES = 12;
