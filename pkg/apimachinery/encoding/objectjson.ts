/**
 * Conversions between objects and JSON. Objects were parsed from JSON, but their members other than metadata are
 * declared unknown.
 */
import type { JsonValue, KubeObject } from '../../../api/resource.js';

type JsonMap = { [member: string]: JsonValue };

/** The same object, typed as JSON; `undefined` members count as absent. */
export const jsonOfObject = (object: Readonly<Record<string, unknown>>): JsonMap => object as JsonMap;

/** The same value, typed as an object; the caller checks that it has metadata, or adds it. */
export const objectOfJson = (value: Readonly<Record<string, unknown>>): KubeObject => value as KubeObject;
