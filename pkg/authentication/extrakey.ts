/** Keys are percent-encoded, as header names have no capitals and few signs; what does not decode stays as it is. */
export function unescapedExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
