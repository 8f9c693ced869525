/** Objects are JSON: what their members beside metadata are is declared unknown, and is what a text was read into. */
import type { JsonValue, KubeObject } from '../../../api/resource.js';

type JsonMap = { [member: string]: JsonValue };

/** The same, seen as JSON; members that are `undefined` count as absent. */
export const jsonOfObject = (object: Readonly<Record<string, unknown>>): JsonMap => object as JsonMap;

/** The same, seen as an object; whoever asks has checked that it has metadata, or gives it some. */
export const objectOfJson = (value: Readonly<Record<string, unknown>>): KubeObject => value as KubeObject;
