import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Why the signature of a request is not accepted, computed as the documentation of SigV4 describes it; undefined: it is. */
function fault(request: IncomingMessage, body: Uint8Array, secret: string): string | undefined {
  const { headers, method = '', url = '' } = request;
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (found === null) return 'AccessDenied';
  const [, , day = '', region = '', names = '', signature] = found;
  const signed = names.split(';');
  const content = String(headers['x-amz-content-sha256']);
  for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256']) if (!signed.includes(name)) return 'AccessDenied';
  if (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = url.split('?');
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, path, query, lines, names, content].join('\n');
  const date = String(headers['x-amz-date']);
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, text) => hmac(last, text),
    `AWS4${secret}`,
  );
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** What a server has, and what it has sent since the last question. */
interface S3State {
  readonly objects: readonly { readonly name: string; readonly bytes: number }[];
  /** Bytes of each answered `GET`. */
  readonly reads: readonly number[];
}

const control = '/-/';

/** Serves until its thread ends. */
async function serve(port: MessagePort, secret: string): Promise<void> {
  const objects = new Map<string, Buffer>();
  let reads: number[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    const refuse = (status: number, code: string) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><AWSAccessKeyId>id</AWSAccessKeyId></Error>`);
    };
    const body = await bodyOf(request);
    const name = decodeURIComponent(request.url ?? '');
    if (name.startsWith(control)) {
      failures = Number(name.slice(control.length));
      const state: S3State = {
        objects: [...objects].map(([name, { length }]) => ({ name, bytes: length })),
        reads,
      };
      reads = [];
      response.end(JSON.stringify(state));
      return;
    }
    const found = objects.get(name);
    const refused = fault(request, body, secret);
    if (failures > 0) {
      failures -= 1;
      refuse(503, 'SlowDown');
    } else if (refused !== undefined) refuse(403, refused);
    else if (request.method === 'PUT' && request.headers['content-length'] === undefined)
      refuse(411, 'MissingContentLength');
    else if (request.method === 'PUT') {
      objects.set(name, body);
      response.end();
    } else if (request.method === 'DELETE') {
      objects.delete(name);
      response.writeHead(204).end();
    } else if (found === undefined) refuse(404, 'NoSuchKey');
    else {
      const [, from = '0', to = `${found.length - 1}`] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const bytes = found.subarray(Number(from), Number(to) + 1);
      reads.push(bytes.length);
      response.writeHead(request.headers.range === undefined ? 200 : 206).end(bytes);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port.postMessage(Object(server.address()).port);
}

/**
 * A server with the interface of S3 that checks each signature, in a thread of its own, because readers wait for it:
 * `await using server = await s3Server('secret')`.
 */
export async function s3Server(secret: string) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { s3Secret: secret } });
  const [port] = await once(worker, 'message');
  const endpoint = `http://127.0.0.1:${port}`;
  const state = async (failures: number): Promise<S3State> =>
    JSON.parse(await (await fetch(`${endpoint}${control}${failures}`)).text());
  return {
    endpoint,
    state: () => state(0),
    /** The next requests are answered with 503. */
    fail: (requests: number) => state(requests),
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}

const settings: unknown = workerData;
if (parentPort && typeof settings === 'object' && settings !== null && 's3Secret' in settings)
  await serve(parentPort, String(settings.s3Secret));
