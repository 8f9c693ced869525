// Fields of schemas, as rows of tables.
import { code } from './markdown.mjs';

const FORMATS = { 'date-time': 'time', byte: 'base64' };

export function typeOf(schema) {
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === 'object' && schema.properties === undefined) {
    const value = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
    return typeof value === 'object' ? `map of ${typeOf(value)}` : 'object';
  }
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(', ');
  return FORMATS[schema.format] ?? schema.type ?? 'any';
}

/**
 * Each field below a schema, parents first: its path, its schema, whether its parent requires it, and its value in `example`; of a
 * list, that of the first item.
 */
export function fieldsOf(schema, example, path = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const value = example?.[name];
    const list = field.type === 'array';
    const required = schema.required?.includes(name) === true;
    return [
      { path: at, field, required, value: list ? value?.[0] : value },
      ...fieldsOf(list ? field.items : field, list ? value?.[0] : value, list ? `${at}[]` : at),
    ];
  });
}
