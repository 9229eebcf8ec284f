/** What the web UI does when the leader has another version. */
export type VersionCheck =
  | 'same'
  /** Load the web UI of the new version. */
  | 'reload'
  /** The same, but only after the person has saved or dropped their input. */
  | 'wait'
  /** It was reloaded and still has another version: the leader serves the web UI of another build. */
  | 'mismatch';

export function checkVersion(facts: {
  readonly page: string;
  readonly leader: string;
  readonly hasUnsavedWork: boolean;
  /** The version of the leader at the last reload. */
  readonly reloadedFor: string | null;
}): VersionCheck {
  if (facts.leader === facts.page) return 'same';
  if (facts.reloadedFor === facts.leader) return 'mismatch';
  return facts.hasUnsavedWork ? 'wait' : 'reload';
}
