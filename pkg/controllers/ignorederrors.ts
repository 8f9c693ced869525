import { StatusError } from '../apimachinery/errors.js';

/** Ignores refusals with one of these codes: another client was faster, which events report. */
export async function ignoring(codes: readonly number[], write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError) || !codes.includes(error.code)) throw error;
  }
}
