/** Limits of selectors: every object of a list is matched against all requirements. kube-apiserver has no such limits. */
import { badRequest } from '../errors.js';

/** In characters. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_REQUIREMENTS = 100;

/** Checks the length before parsing. `parameter`: its name, for the error. Throws 400. */
export function checkLength(parameter: string, text: string): void {
  if (text.length <= MAX_CHARACTERS) return;
  throw badRequest(`${parameter} is too long: it may have at most ${MAX_CHARACTERS} characters`);
}

/** Checks the number of requirements while parsing. Throws 400. */
export function checkRequirements(parameter: string, requirements: readonly unknown[]): void {
  if (requirements.length <= MAX_REQUIREMENTS) return;
  throw badRequest(`${parameter} has too many requirements: it may have at most ${MAX_REQUIREMENTS}`);
}
