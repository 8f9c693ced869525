import { describe, expect, test } from '@jest/globals';
import type { ObjectMeta } from '../../api/resource.js';
import { readVectors } from '../../test/vectors/read.js';
import type { FieldError } from './errors.js';
import { aggregate } from './errors.js';
import { validateFieldManager } from './validation/fieldmanager.js';
import { validateObjectMeta, validateObjectMetaUpdate } from './validation/metadata.js';
import { dns1035Label, dns1123Label, dns1123Subdomain, pathSegment } from './validation/names.js';

interface Vector {
  id: string;
  op: 'create' | 'update' | 'fieldManager';
  meta: ObjectMeta;
  old: ObjectMeta;
  value: string;
  namespaced: boolean;
  nameRule: keyof typeof NAME_CHECKS;
  errors: { type: string; field: string; body: string }[];
  text: string;
}

const NAME_CHECKS = {
  'path-segment': pathSegment,
  'dns-subdomain': dns1123Subdomain,
  'dns-label': dns1123Label,
  'dns-1035': dns1035Label,
};

function validate(vector: Vector): FieldError[] {
  switch (vector.op) {
    case 'create':
      return validateObjectMeta(vector.meta, vector.namespaced, NAME_CHECKS[vector.nameRule]);
    case 'update':
      return validateObjectMetaUpdate(vector.meta, vector.old);
    case 'fieldManager':
      return validateFieldManager(vector.value, 'fieldManager');
  }
}

describe('metadata vectors', () => {
  test.each(readVectors<Vector>('metadata').map((vector) => [vector.id, vector] as const))(
    '%s',
    (_id, vector) => {
      const errors = validate(vector);
      expect(errors.map(({ type, path, body }) => ({ type, field: path, body }))).toEqual(
        vector.errors.map(({ type, field, body }) => ({ type, field, body })),
      );
      expect(errors.length === 0 ? '' : aggregate(errors)).toBe(vector.text);
    },
  );
});
