/** Lines of metadata.jsonl. */
import type { ObjectMeta } from '../../../api/resource.js';
import { aggregate, type FieldError } from '../../../pkg/apimachinery/errors.js';
import { validateFieldManager } from '../../../pkg/apimachinery/validation/fieldmanager.js';
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../../pkg/apimachinery/validation/metadata.js';
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  pathSegment,
} from '../../../pkg/apimachinery/validation/names.js';
import { same } from './same.js';

export interface Cause {
  readonly type: string;
  readonly field: string;
  readonly body: string;
}

export interface MetadataVector {
  readonly id: string;
  readonly op: 'create' | 'update' | 'fieldManager';
  readonly meta: ObjectMeta;
  readonly old: ObjectMeta;
  readonly value: string;
  readonly namespaced: boolean;
  readonly nameRule: keyof typeof NAME_CHECKS;
  readonly errors: readonly Cause[];
  readonly text: string;
}

const NAME_CHECKS = {
  'path-segment': pathSegment,
  'dns-subdomain': dns1123Subdomain,
  'dns-label': dns1123Label,
  'dns-1035': dns1035Label,
};

function validate(vector: MetadataVector): FieldError[] {
  switch (vector.op) {
    case 'create':
      return validateObjectMeta(vector.meta, vector.namespaced, NAME_CHECKS[vector.nameRule]);
    case 'update':
      return validateObjectMetaUpdate(vector.meta, vector.old);
    case 'fieldManager':
      return validateFieldManager(vector.value, 'fieldManager');
  }
}

export const causesOf = (errors: readonly FieldError[]): Cause[] =>
  errors.map(({ type, path, body }) => ({ type, field: path, body }));

/** Findings must be these, in this order, and aggregate to this text. */
export function sameErrors(
  errors: readonly FieldError[],
  expected: { readonly errors: readonly Cause[]; readonly text: string },
): void {
  same(
    causesOf(errors),
    expected.errors.map(({ type, field, body }) => ({ type, field, body })),
  );
  same(errors.length === 0 ? '' : aggregate(errors), expected.text);
}

export function judgeMetadata(vector: MetadataVector): void {
  sameErrors(validate(vector), vector);
}
