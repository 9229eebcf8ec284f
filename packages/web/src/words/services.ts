export const servicesWords = {
  // Why an act is not allowed
  experimentProtected: 'Protected: only its members and administrators act on this experiment.',
  experimentProtectedBy: (owner: string) =>
    `Protected: only ${owner}, its members and administrators act on this experiment.`,
  needsPermission: (permission: string) => `Needs ${permission}`,
  needsRole: (role: string) => `Needs the role ${role}`,

  // The person closed the question for the PIN
  pinCancelled: {
    error: 'Nothing was done.',
    cause: 'No PIN was entered.',
    remediation: 'Try again, and enter your PIN.',
  },
} as const;
