/** What a page does about the version of the leader it talks to. */
export type VersionCheck =
  | 'same'
  /** Load the pages of the new version. */
  | 'reload'
  /** The same, but not before the person has saved or dropped what is typed. */
  | 'wait'
  /** It was reloaded for this version and still is another one: the leader serves pages of another build. */
  | 'mismatch';

export function checkVersion(facts: {
  readonly page: string;
  readonly leader: string;
  readonly hasUnsavedWork: boolean;
  /** The leader's version this page was last reloaded for. */
  readonly reloadedFor: string | null;
}): VersionCheck {
  if (facts.leader === facts.page) return 'same';
  if (facts.reloadedFor === facts.leader) return 'mismatch';
  return facts.hasUnsavedWork ? 'wait' : 'reload';
}
