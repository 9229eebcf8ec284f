import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

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

/** A server with the interface of S3 that checks each signature: `await using server = await s3Server('secret')`. */
export async function s3Server(secret: string) {
  const objects = new Map<string, Buffer>();
  /** Bytes of each answered `GET`. */
  const reads: number[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    const refuse = (status: number, code: string) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><AWSAccessKeyId>id</AWSAccessKeyId></Error>`);
    };
    const body = await bodyOf(request);
    const name = decodeURIComponent(request.url ?? '');
    const found = objects.get(name);
    if (failures > 0) {
      failures -= 1;
      refuse(503, 'SlowDown');
      return;
    }
    const refused = fault(request, body, secret);
    if (refused !== undefined) refuse(403, refused);
    else if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) return refuse(411, 'MissingContentLength');
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo = Object.assign({ port: 0, address: '', family: '' }, server.address());
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    reads,
    /** The next requests are answered with 503. */
    fail: (requests: number) => {
      failures = requests;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
