/** What both dialects make of the paths of a kind in the same way. */
import type { ResourceDefinition } from '../../../api/resource.js';
import type { Operation } from './operations.js';
import { pathsOf } from './operations.js';
import type { Parameter } from './parameters.js';
import type { Components, OpenapiSchema } from './schema.js';
import { watchPathsOf } from './watchpaths.js';

type OperationObject = (
  operation: Operation,
  definition: ResourceDefinition,
  into: Components,
) => OpenapiSchema;

/** Each path of a kind with its path item, whose operations and parameters the dialect makes. */
export function pathItems(
  definition: ResourceDefinition,
  into: Components,
  operationObject: OperationObject,
  parameterObject: (parameter: Parameter) => OpenapiSchema,
): [path: string, item: OpenapiSchema][] {
  return [...pathsOf(definition), ...watchPathsOf(definition)].map(({ path, operations, parameters }) => {
    const item = Object.fromEntries(
      operations.map((each) => [each.method, operationObject(each, definition, into)]),
    );
    return [path, { ...item, parameters: parameters.map(parameterObject) }];
  });
}
