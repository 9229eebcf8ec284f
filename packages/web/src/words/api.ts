export const apiWords = {
  // Failures without an answer of the leader
  unreachable: {
    error: 'The leader did not answer.',
    cause: 'The connection failed before an answer came.',
    remediation: 'Check that the leader is running and that this device is in its network, then try again.',
  },
  reloadToSeePresent: 'Reload the page: it may show an earlier state.',
  webUiFailed: 'The web UI failed.',
  reloadPage: 'Reload the page. If it happens again, please report it.',
} as const;
