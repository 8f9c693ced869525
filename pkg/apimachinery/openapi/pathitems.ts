/** Common parts of path items of both OpenAPI versions. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { pathsOf, type Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import type { Components, OpenapiSchema } from './schema.js';
import { watchPathsOf } from './watchpaths.js';

type OperationObject = (
  operation: Operation,
  definition: ResourceDefinition,
  into: Components,
) => OpenapiSchema;

/** Creates the path items of a kind; the OpenAPI version determines their operations and parameters. */
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
