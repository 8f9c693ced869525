/**
 * Lines whose outcome is another one here, on purpose or because of what JavaScript is. A line that agrees again fails
 * until it is taken out. By file, then by id.
 */
export const DEVIATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jsonpatch: {
    'named/066': 'numbers are compared by value, as RFC 6902 says: 1 is 1.0',
  },
  strictdecode: {
    '0014': 'the last of equal members wins whole; Go merges them into one struct',
    '0368': 'the last of equal members wins whole; Go merges them into one struct',
    '0019': 'apiVersion is read where it is spelt so',
    '0030': 'base64 of a SharedSecret is checked by its strategy, which names the entry',
    '0039': 'another kind than that of the endpoint is refused while decoding',
    '0042': 'another kind than that of the endpoint is refused while decoding',
    '0064': '5.0 is the integer 5',
    '0066': '5e2 is the integer 500',
    '0193': 'an empty list is no base64 text',
    '0306': 'an empty list is no base64 text',
  },
};
