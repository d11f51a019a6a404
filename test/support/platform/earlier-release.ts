// A backup made by the last release in which users and keys were tables of their own, and what is in it. The keys are of no
// use anywhere else: their digests are in this file alone.
import { fileURLToPath } from 'node:url';

export const earlier = {
  file: fileURLToPath(new URL('./earlier-release.backup', import.meta.url)),
  orgId: 1,
  users: {
    ada: '01a1ea75-6386-7000-b8e8-e7c4f25ee836',
    /** With the email address of Ada, in capitals. */
    twin: '01a1ea75-654d-7000-8053-3d5957599dce',
    bob: '01a1ea75-670c-7000-a67b-ec9fac7655bf',
  },
  keys: {
    full: { id: '00000ZTwDSrp', key: 'svc_live_00000ZTwDSrp_HmxVuhj1EXcmp41oTTDTWjXA0Epm4GPm48RmqJ' },
    ofUser: { id: '00000JaFdT6l', key: 'svc_live_00000JaFdT6l_rKn3K1U8agYBmT6jcH1dUMbNpL932YNb2FFDCy' },
    revoked: { id: '00000U7MWklc', key: 'svc_live_00000U7MWklc_xz5gNRECFIRptiHimi2egj3Cx4n3HVcW2nFbnL' },
    rotated: {
      id: '00000RSCGREU',
      old: 'svc_live_00000RSCGREU_viobKKmy673WikyAD2rYjzIwvCJJi2nq2BWInp',
      key: 'svc_live_00000RSCGREU_fS08ik5ukkvzm0RwNY5QjHk87pbnInnY3ruTOh',
    },
  },
  records: {
    /** Made with the key of Ada. */
    contact: '01a1ea75-740e-7000-b919-7427aec23c23',
    plant: '01a1ea75-742e-7000-b6ef-7be2434ef413',
  },
} as const;
