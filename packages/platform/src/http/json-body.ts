import { ApiError, isObject, jsonLimitFault } from '@lcs/contract';
import type { TObject } from 'typebox';
import { compileSchema } from './compiled-schema.ts';
import { jsonFaultOffset, lineAndColumn } from './json-syntax.ts';
import { describeFault, faultyField } from './schema-fault.ts';
import { utf8FaultOffset } from './utf8.ts';

const form = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;
const byteOrderMark = '\ufeff';

/** The body is not JSON. */
class UnreadableBody extends ApiError<'invalid_body'> {
  constructor(params: { readonly cause: string; readonly remediation: string }) {
    super('invalid_body', params);
  }
}

/** Parses and checks the body of one route. */
export interface BodyReader {
  /** Throws `unsupported_media_type` for the encodings that a form of a foreign page can send without a preflight request. */
  refuseForms(contentType: string | undefined): void;
  /** The checked body; throws `invalid_body` with the first fault. No bytes are an empty object. */
  parse(bytes: Buffer): unknown;
}

function parseJson(bytes: Buffer, remediation: string): unknown {
  const invalidByte = utf8FaultOffset(bytes);
  if (invalidByte !== undefined) {
    throw new UnreadableBody({ cause: `not UTF-8 at byte ${invalidByte}`, remediation });
  }
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  const limitFault = jsonLimitFault(text);
  if (limitFault !== undefined) throw new ApiError('invalid_body', { cause: limitFault, remediation });
  try {
    return JSON.parse(text);
  } catch (error) {
    const offset = jsonFaultOffset(text);
    if (offset === undefined) throw error;
    throw new UnreadableBody({ cause: describeSyntax(text, offset), remediation });
  }
}

function describeSyntax(text: string, offset: number): string {
  const what = offset >= text.length ? 'the text ends too early' : 'unexpected character';
  return `not JSON: ${what} at ${lineAndColumn(text, offset)} (position ${offset})`;
}

/** The JSON-RPC 2.0 error (section 5.1) for a body that is not a message. */
export function jsonRpcFault(error: ApiError) {
  const isUnreadable = error instanceof UnreadableBody;
  const message = `${isUnreadable ? 'Parse error' : 'Invalid Request'}: ${error.body.cause}`;
  return { jsonrpc: '2.0', id: null, error: { code: isUnreadable ? -32_700 : -32_600, message } };
}

/** Replaces aliases of fields by their names. A field that is sent under both names keeps both and is rejected as unknown. */
function withCanonicalNames(value: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const ours = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
      return [ours === undefined || Object.hasOwn(value, ours) ? name : ours, field];
    }),
  );
}

function remediationFor(schema: TObject): string {
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties);
  if (required.length > 0) return `Send a JSON object with: ${required.join(', ')}.`;
  if (names.length > 0) return `Send a JSON object; it may have: ${names.join(', ')}.`;
  return 'Send an empty JSON object, or nothing.';
}

/** Compiles the body of a route: strict, without any conversion, unknown fields as the schema says. */
export function bodyReader(schema: TObject, aliases: Readonly<Record<string, string>> = {}): BodyReader {
  const { check, fault } = compileSchema(schema);
  const remediation = remediationFor(schema);
  const hasAliases = Object.keys(aliases).length > 0;
  return {
    refuseForms(contentType) {
      if (contentType !== undefined && form.test(contentType)) {
        throw new ApiError('unsupported_media_type', { contentType });
      }
    },
    parse(bytes) {
      const sent = bytes.length === 0 ? {} : parseJson(bytes, remediation);
      const value = hasAliases ? withCanonicalNames(sent, aliases) : sent;
      if (check(value)) return value;
      const found = fault(value);
      throw new ApiError('invalid_body', { cause: describeFault(found), field: faultyField(found), remediation });
    },
  };
}
