import type { ResourceDefinition } from '../../../api/resource.js';
import { StatusError, forbidden } from '../../apimachinery/errors.js';
import type { Counter } from '../limitedkinds.js';

/** 403: a user has as many objects as they may have. */
export class LimitExceeded extends StatusError {
  constructor(
    definition: ResourceDefinition,
    name: string,
    readonly counter: Counter,
  ) {
    const { what, limit, remedy } = counter;
    super(forbidden(definition, name, `there are too many ${what}: the limit is ${limit}. ${remedy}`).status);
  }
}
