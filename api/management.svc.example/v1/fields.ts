/** Shapes of fields that the kinds of this group share. */
import { Type } from '../../type.js';
import { stringMap } from '../../meta/v1/schema.js';

// Maximum sizes. Every text, list and map of the kinds of this group has one (`pkg/management/sizes.test.ts`).

/** Of names and other short texts, in characters. */
export const MAX_TEXT = 1024;
/** Of descriptions, in characters. */
const MAX_DESCRIPTION = 8192;
/** Of messages about an object's state, in characters: as `message` of a condition. */
export const MAX_MESSAGE = 32_768;
/** Of credentials, in characters. */
export const MAX_CREDENTIAL = 8192;
/** Of texts in a format of their own, such as YAML, in characters. */
export const MAX_DOCUMENT = 65_536;
/** Of base64, in characters: 1 MiB decoded. */
const MAX_BASE64 = 1_398_104;
/** Of lists and maps: an object has no more values. */
export const MAX_ITEMS = 10_000;

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
