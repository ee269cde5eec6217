// Compressed bytes in texts: pages from files cannot read other files.

/** The bytes behind a base64 text. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** What gzip compressed. */
export async function decompress(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A text as one word that a link may hold, and back; undefined for what no such text has made. */
export function toWord(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
export function fromWord(word: string): string | undefined {
  try {
    return new TextDecoder().decode(fromBase64(word.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}
