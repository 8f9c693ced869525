/** Errors of strategic merge patches, with Kubernetes' messages (`k8s.io/apimachinery/pkg/util/mergepatch`). */
import type { JsonValue } from '../../../api/resource.js';
import { badRequest, type StatusError } from '../errors.js';
import { printGo } from './printgo.js';
import { isInteger } from '../../../api/exactjson.js';

type JsonMap = { [member: string]: JsonValue };

export const badRetainKeys = (): StatusError => badRequest('invalid patch format of retainKeys');
export const badPrimitiveList = (): StatusError => badRequest('invalid patch format of primitive list');
export const badElementOrder = (): StatusError => badRequest('invalid patch format of setElementOrder list');
export const noListOfLists = (): StatusError => badRequest('lists of lists are not supported');
export const noElements = (): StatusError => badRequest('no elements in any of the given slices');

export const badDirective = (directive: JsonValue, patch: JsonMap): StatusError =>
  badRequest(`unknown patch type: ${printedAsText(directive)} in map: ${printGo(patch)}`);

export const noMergeKey = (item: JsonMap, mergeKey: string): StatusError =>
  badRequest(`map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`);

export const noField = (struct: string, member: string): StatusError =>
  badRequest(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(member)}`);

export const notAStruct = (shape: string): StatusError =>
  badRequest(`merging an object in json but data type is not struct, instead is: ${shape}`);

export const notAList = (value: JsonValue): StatusError =>
  badRequest(`expected a []interface {}, but received a ${typeName(value)}`);

export const notAMap = (value: JsonValue): StatusError =>
  badRequest(`expected a map[string]interface {}, but received a ${typeName(value)}`);

export const notAScalar = (value: JsonValue): StatusError =>
  badRequest(`expected a scalar in a $setElementOrder list, but received a ${typeName(value)}`);

export const mixedElements = (original: JsonValue[], patch: JsonValue[]): StatusError =>
  badRequest(`list element types are not identical: ${printGo([original, patch])}`);

export const orderMismatch = (patch: JsonValue[], order: JsonValue[]): StatusError =>
  badRequest(
    `The order in patch list:\n${printGo(patch)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`,
  );

/** Go's `%s` of a value that is not a string. */
function printedAsText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'object') return printGo(value);
  return `%!s(${typeName(value)}=${printGo(value)})`;
}

/** The Go type that a JSON value is decoded to. */
function typeName(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return isInteger(value) ? 'int64' : 'float64';
}
