/** One client has all addresses of an IPv6 network of 64 bits: of those, the network. Else the address. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  return address.split(':').slice(0, 4).join(':');
}
