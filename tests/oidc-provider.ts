import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { realClock } from '@lcs/platform';

type Claims = Readonly<Record<string, unknown>>;

export const clientId = 'leader';
export const clientSecret = 'client secret of the leader';

interface Granted {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly claims: Claims;
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function idToken(key: KeyObject, claims: Claims): string {
  const content = `${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const part of request) text += String(part);
  return new URLSearchParams(text);
}

type Fault = 'none' | 'nonce' | 'signature' | 'issuer' | 'audience' | 'denied';

/** A small OpenID provider: authorization code flow with PKCE, ID tokens signed with RS256. */
export class OidcProvider implements AsyncDisposable {
  /** The account that signs in next. */
  claims: Claims = { sub: '1' };
  /** What is wrong with its next answers. */
  fault: Fault = 'none';
  readonly #right = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #wrong = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #granted = new Map<string, Granted>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<OidcProvider> {
    const provider = new OidcProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** Goes away. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, metadata(this.issuer));
      case '/jwks': {
        const key = this.#right.publicKey.export({ format: 'jwk' });
        return json(response, 200, { keys: [{ ...key, kid: 'one', alg: 'RS256', use: 'sig' }] });
      }
      case '/authorize':
        return this.#authorize(url.searchParams, response);
      case '/token': {
        const [status, body] = this.#token(await formOf(request));
        return json(response, status, body);
      }
      default:
        response.writeHead(404).end();
    }
  }

  /** The page on which a person signs in: a link. */
  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const redirectUri = query.get('redirect_uri') ?? '';
    const challenge = query.get('code_challenge') ?? '';
    this.#granted.set(code, { challenge, nonce: query.get('nonce') ?? '', redirectUri, claims: this.claims });
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.fault === 'denied') back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', code);
    const href = back.href.replaceAll('&', '&amp;');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><html lang="en"><title>Institute</title><a href="${href}">Continue</a></html>`);
  }

  #token(form: URLSearchParams): readonly [status: number, body: unknown] {
    const code = form.get('code') ?? '';
    const grant = this.#granted.get(code);
    this.#granted.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const isClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (!isClient) return [401, { error: 'invalid_client' }];
    const isProved = grant?.challenge === createHash('sha256').update(verifier).digest('base64url');
    if (grant === undefined || !isProved || grant.redirectUri !== form.get('redirect_uri'))
      return [400, { error: 'invalid_grant' }];
    const now = Math.floor(realClock().now() / 1000);
    const { fault } = this;
    const claims = {
      iss: fault === 'issuer' ? 'https://elsewhere.example' : this.issuer,
      aud: fault === 'audience' ? 'somebody else' : clientId,
      iat: now,
      exp: now + 300,
      nonce: fault === 'nonce' ? 'another' : grant.nonce,
      ...grant.claims,
    };
    const { privateKey } = fault === 'signature' ? this.#wrong : this.#right;
    return [200, { access_token: 'x', token_type: 'Bearer', id_token: idToken(privateKey, claims) }];
  }
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
});

/** Section of `leader.ini` for this provider. */
export const oidcSection = (issuer: string): string => `[oidc]
issuer = ${issuer}
client_id = ${clientId}
client_secret = ${clientSecret}
name = Institute
operator_groups = lab
viewer_groups = guests
administrator_groups = lab-admins
allowed_domains = bio.example
`;
