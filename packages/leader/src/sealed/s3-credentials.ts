import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ArchiveFailed } from './archive-failed.ts';

/** Access to a bucket. */
export interface S3Access {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
  /** Of a server other than Amazon's. */
  readonly endpoint: string | undefined;
}

/** There are no credentials for a bucket. */
class S3CredentialsMissing extends ArchiveFailed {
  constructor() {
    super(
      'There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into ~/.aws/credentials of the user of the leader.',
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The entries of a section of a credentials file. */
function sectionOf(text: string, wanted: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? section;
    const [, name, value] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (section === wanted && name !== undefined && value !== undefined) entries.set(name, value);
  }
  return entries;
}

function fileEntries(environment: Environment): ReadonlyMap<string, string> {
  const path = environment.AWS_SHARED_CREDENTIALS_FILE ?? join(homedir(), '.aws', 'credentials');
  try {
    return sectionOf(readFileSync(path, 'utf8'), environment.AWS_PROFILE ?? 'default');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
}

/**
 * From the variables that other tools read, too: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`,
 * `AWS_ENDPOINT_URL_S3`; or from their credentials file.
 * @throws S3CredentialsMissing
 */
export function s3Access(environment: Environment): S3Access {
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1';
  const endpoint = environment.AWS_ENDPOINT_URL_S3 ?? environment.AWS_ENDPOINT_URL;
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: sessionToken } = environment;
  if (id !== undefined && secret !== undefined)
    return { accessKeyId: id, secretAccessKey: secret, sessionToken, region, endpoint };
  const entries = fileEntries(environment);
  const [accessKeyId, secretAccessKey] = [entries.get('aws_access_key_id'), entries.get('aws_secret_access_key')];
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new S3CredentialsMissing();
  return { accessKeyId, secretAccessKey, sessionToken: entries.get('aws_session_token'), region, endpoint };
}
