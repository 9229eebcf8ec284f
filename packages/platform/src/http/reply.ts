import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { RequestOrigin } from './request-origin.ts';

/** Text that is not percent-encoded correctly stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

const queryOptions = { maxKeys: 0, decodeURIComponent: decoded } as const;

/**
 * Of every response: a browser takes it for what it is, shows it in no frame, lets it load nothing, and gives it to no other site (OWASP REST
 * Security Cheat Sheet, "Security headers"). Pages replace the policy by their own.
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** A browser that has reached the node without warnings of its certificate requests it over TLS only, for a year. */
const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const;

/** A request with its ID, and the status and the headers of its response until they are sent. */
export class Reply {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly origin: RequestOrigin;
  readonly method: string;
  /** As in the request line. */
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  status = 200;

  constructor(id: string, request: IncomingMessage, response: ServerResponse, origin: RequestOrigin) {
    this.id = id;
    this.request = request;
    this.response = response;
    this.origin = origin;
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    this.headers = { 'x-request-id': id, ...securityHeaders, ...(origin.isSecure && strictTransport) };
  }

  /** The query of the URL; repeated parameters are lists. */
  get query(): ParsedUrlQuery {
    const start = this.url.search(/[?#]/);
    return parse(start < 0 ? '' : this.url.slice(start + 1), '&', '=', queryOptions);
  }

  /** Writes the status and the headers; the caller writes the body. */
  begin(more: OutgoingHttpHeaders = {}): ServerResponse {
    return this.response.writeHead(this.status, Object.assign(this.headers, more));
  }

  send(body: string | Buffer): void {
    this.begin({ 'content-length': Buffer.byteLength(body) }).end(body);
  }

  /** For statuses that have no body. */
  sendNothing(): void {
    delete this.headers['content-type'];
    this.begin().end();
  }
}
