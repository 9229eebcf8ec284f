/** How the permissions of a token are chosen. */
export const permissionChoices = ['read', 'all', 'choose'] as const;
export type PermissionChoice = (typeof permissionChoices)[number];

/** The permissions that a choice gives a token, of those that a person has. */
export function chosenPermissions(
  choice: PermissionChoice,
  all: readonly string[],
  ticked: readonly string[],
): readonly string[] {
  if (choice === 'choose') return ticked;
  return choice === 'all' ? all : all.filter((name) => name.endsWith('.read'));
}
