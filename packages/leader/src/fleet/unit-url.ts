import { ApiError, type RouteDeclaration } from '@lcs/contract';

/** One or two dots, also percent-encoded: in a URL they mean another folder, and so another route. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * The URL of a route of a unit. The path may contain a name that a person chose.
 * @throws ApiError malformed_request for a path that would lead to another route
 */
export function unitUrl(path: string, base: string | URL): URL {
  expectPlainPath(path);
  return new URL(path, base);
}

/** @throws ApiError malformed_request */
export function expectPlainPath(path: string): void {
  const [beforeQuery = ''] = path.split('?', 1);
  if (dotSegment.test(beforeQuery))
    throw new ApiError('malformed_request', { cause: `The path '${beforeQuery}' has a segment '.' or '..'.` });
}

/** The path of a route of a unit, parameters percent-encoded. */
export const unitPath = ({ path }: Pick<RouteDeclaration, 'path'>, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
