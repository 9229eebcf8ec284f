import { createWriteStream, openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsClient } from 'aws4fetch';
import { ArchiveFailed } from './archive-failed.ts';
import type { S3Access } from './s3-credentials.ts';
import { ArchiveFileMissing, type ArchiveStorage } from './storage.ts';

/** A request that failed is repeated, some seconds in all. */
const retries = 4;

/** A server has refused a request, or cannot be reached. */
class S3Failed extends ArchiveFailed {}

/** Sealed files in a bucket, which any server with the interface of S3 has. Requests are signed (SigV4). */
export class S3Storage implements ArchiveStorage {
  readonly #place: string;
  readonly #base: string;
  readonly #client: AwsClient;

  /** `place` is `s3://bucket/prefix`. */
  constructor(place: string, access: S3Access) {
    const { hostname: bucket, pathname } = new URL(place);
    const { region, endpoint } = access;
    const host = endpoint?.replace(/\/+$/, '');
    this.#place = place;
    // Other servers mostly have one name for all buckets.
    const root = host === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${host}/${bucket}`;
    this.#base = `${root}${pathname.replace(/\/+$/, '')}`;
    const { accessKeyId, secretAccessKey, sessionToken } = access;
    this.#client = new AwsClient({
      ...{ accessKeyId, secretAccessKey, region, service: 's3', retries },
      ...(sessionToken !== undefined && { sessionToken }),
    });
  }

  async read(file: string, from: number, to: number): Promise<ArrayBuffer> {
    const headers = { range: `bytes=${from}-${to - 1}` };
    const answer = await this.#request(file, { method: 'GET', headers });
    const bytes = await answer.arrayBuffer();
    if (answer.status !== 206 || bytes.byteLength !== to - from)
      throw new S3Failed(`${this.#place} answered with other bytes of ${file} than were requested.`);
    return bytes;
  }

  async put(file: string, localPath: string, sha256: string): Promise<void> {
    const body = await openAsBlob(localPath);
    // The server compares the bytes that it has received with the signed hash.
    const headers = { 'x-amz-content-sha256': sha256, 'content-type': 'application/vnd.apache.parquet' };
    await this.#request(file, { method: 'PUT', headers, body });
  }

  async fetchTo(file: string, localPath: string): Promise<void> {
    const { body } = await this.#request(file, { method: 'GET' });
    if (body === null) throw new S3Failed(`${this.#place} answered with nothing for ${file}.`);
    await pipeline(Readable.fromWeb(body), createWriteStream(localPath, { mode: 0o600 }));
  }

  async remove(file: string): Promise<void> {
    try {
      await this.#request(file, { method: 'DELETE' });
    } catch (error) {
      if (!(error instanceof ArchiveFileMissing)) throw error;
    }
  }

  /** @throws ArchiveFileMissing, S3Failed */
  async #request(file: string, init: RequestInit): Promise<Response> {
    const answer = await this.#sent(file, init);
    if (answer.ok) return answer;
    // The answer of a server is read, so that its connection is free; it may contain the key, and is not passed on.
    const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1];
    if (answer.status === 404 && code !== 'NoSuchBucket') throw new ArchiveFileMissing(this.#place, file);
    throw new S3Failed(`${this.#place} refused ${init.method} of ${file}: ${answer.status} ${code ?? ''}`.trimEnd());
  }

  async #sent(file: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#client.fetch(`${this.#base}/${file}`, init);
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new S3Failed(`${this.#place} cannot be reached (${reason}).`);
    }
  }
}
