/** What a one-file program carries: the files of an installation, and an index of them (hack/release/executables.mjs). */
import { createHash } from 'node:crypto';

export interface Contents {
  /** Of the index, and so of all files: hexadecimal SHA-256. It names the folder that they are unpacked to. */
  readonly digest: string;
  /** What users call the program. */
  readonly program: string;
  /** The file that the program starts with. */
  readonly main: string;
  readonly files: readonly ContentFile[];
  read(file: ContentFile): Uint8Array;
}

interface ContentFile {
  /** Relative, with slashes. */
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

interface Index {
  readonly program: string;
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
}

const INDEX = 'index.json';

/** `asset`: the bytes that are stored under a name; those of files are stored under `files/<path>`. */
export function readContents(asset: (name: string) => ArrayBuffer): Contents {
  const bytes = Buffer.from(asset(INDEX));
  const { program, main, files }: Index = JSON.parse(bytes.toString());
  return {
    digest: sha256(bytes),
    program,
    main,
    files: Object.entries(files).map(([path, digest]) => ({ path, sha256: digest })),
    read: ({ path }) => new Uint8Array(asset(`files/${path}`)),
  };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
