/** Values of secrets: conversion between bytes, base64 and text, and generated values. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  // The number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

export const encoded = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Undefined if the bytes are not text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const SIGNS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A random text of characters that are not easily confused, each with the same probability: about 5.8 bits each. */
export function generated(length = 32): string {
  const most = 256 - (256 % SIGNS.length);
  let text = '';
  while (text.length < length)
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < most && text.length < length) text += SIGNS.charAt(byte % SIGNS.length);
  return text;
}
