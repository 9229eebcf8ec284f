import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { BasicType } from 'hyparquet-writer';

/**
 * Rows of a row group, all of one series: the least that is read for a query. 8,192 readings every 5 s are eleven hours.
 */
export const usualRowsPerGroup = 8_192;

/** The columns of a sealed file. The names of experiments and units are those of the moment at which it was sealed. */
export const sealedColumns: readonly { readonly name: string; readonly type: BasicType; readonly nullable: boolean }[] =
  [
    { name: 'experiment', type: 'STRING', nullable: false },
    { name: 'reactor_unit', type: 'STRING', nullable: false },
    { name: 'source', type: 'STRING', nullable: false },
    { name: 'channel', type: 'STRING', nullable: true },
    { name: 'angle', type: 'DOUBLE', nullable: true },
    { name: 'derivation', type: 'STRING', nullable: true },
    { name: 'timestamp', type: 'TIMESTAMP', nullable: false },
    { name: 'value', type: 'DOUBLE', nullable: false },
    { name: 'flags', type: 'INT32', nullable: false },
    { name: 'moved_from', type: 'TIMESTAMP', nullable: true },
    { name: 'series', type: 'INT64', nullable: false },
    { name: 'era', type: 'INT64', nullable: true },
  ];

export const compressors = {
  ZSTD: (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes),
};

export const decompressors = {
  ZSTD: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes),
};
