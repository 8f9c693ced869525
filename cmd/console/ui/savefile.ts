/** Downloads a file with this text. The text is not sent anywhere. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started to read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
