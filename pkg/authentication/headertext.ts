const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a header's value, which is UTF-8. Throws TypeError for other bytes.
 * @param value as Node has it, each character a byte
 */
export const headerText = (value: string): string =>
  /^[\x20-\x7e]*$/.test(value) ? value : UTF8.decode(Buffer.from(value, 'latin1'));
