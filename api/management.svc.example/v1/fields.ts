/** Shapes of fields that the kinds of this group share. */
import { Type } from '../../type.js';
import { stringMap } from '../../meta/v1/schema.js';
import { MAX_BASE64, MAX_DESCRIPTION, MAX_ITEMS, MAX_TEXT } from './sizes.js';

/** A text of at most `maxLength` characters. */
export const text = (description: string, maxLength: number = MAX_TEXT) =>
  Type.Optional(Type.String({ description, maxLength }));
/** `spec.description`. */
export const prose = (description: string) => text(description, MAX_DESCRIPTION);
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A list of names. `item`: what one of them is. */
export const names = (item: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ description: item, maxLength: MAX_TEXT }), {
      description,
      maxItems: MAX_ITEMS,
      'x-kubernetes-list-type': 'atomic',
    }),
  );

/** Who may do everything with an object. `noun`: what the object is called: `secret`. */
export const ownerField = (noun: string) =>
  Type.Optional(
    Type.Object(
      { user: text(`User who owns the ${noun}.`), team: text(`Team that owns the ${noun}.`) },
      { description: 'Owner of the object, who may do everything with it. Defaults to the creator.' },
    ),
  );

/** Secret data: values are base64, and shown in no message. */
export const secretDataField = (what: string) =>
  Type.Optional(
    stringMap({
      'x-sensitive': true,
      description: `${what} Each key consists of alphanumeric characters, '-', '_' or '.'. Each value is a base64 string (RFC 4648 section 4) of the arbitrary data value.`,
      value: 'The value of the key, as base64.',
      maxLength: MAX_BASE64,
      maxProperties: MAX_ITEMS,
    }),
  );
