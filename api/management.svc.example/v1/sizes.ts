/** Maximum sizes of fields. Every text of the kinds of this group has one; `pkg/registry/management/sizes.test.ts` checks it. */

/** Of names and other short texts, in characters. */
export const MAX_TEXT = 1024;
/** Of descriptions, in characters. */
export const MAX_DESCRIPTION = 8192;
/** Of messages about an object's state, in characters: as `message` of a condition. */
export const MAX_MESSAGE = 32_768;
/** Of credentials, in characters. */
export const MAX_CREDENTIAL = 8192;
/** Of texts in a format of their own, such as YAML, in characters. */
export const MAX_DOCUMENT = 65_536;
/** Of base64, in characters: 1 MiB decoded. */
export const MAX_BASE64 = 1_398_104;
/** Of lists and maps: an object has no more values. */
export const MAX_ITEMS = 10_000;
