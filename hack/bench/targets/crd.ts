import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';

const { group, version, kind, plural, singular, shortNames, schema } = SharedSecret;

export const CRD_NAME = `${plural}.${group}`;

type Json = Readonly<Record<string, unknown>>;

/** SharedSecret as an `apiextensions.k8s.io/v1` CustomResourceDefinition with the same schema. */
export function crd(): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: CRD_NAME },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular, shortNames, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: structural(JSON.parse(JSON.stringify(schema)) as Json) },
        },
      ],
    },
  };
}

/** Structural schemas have no `patternProperties`: a map of any keys is `additionalProperties` there. */
export function structural(schema: Json): Json {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'patternProperties') {
      return ['additionalProperties', structural(Object.values(value as Json)[0] as Json)];
    }
    if (key === 'properties') return [key, mapValues(value as Json, structural)];
    if (key === 'items') return [key, structural(value as Json)];
    return [key, value];
  });
  return Object.fromEntries(entries);
}

const mapValues = (of: Json, change: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value as Json)]));
