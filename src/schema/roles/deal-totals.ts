// The sources of the totals of open deals (contract 6). The totals are added up from the deals at each read, so that
// writing a deal or a stage does not have to update the records that it affects.

/** The numbers of the types and association types from which the totals are computed. */
export const dealFeeds = {
  dealType: 3,
  stageType: 6,
  /** `svc_deal_to_contact` */
  dealToPerson: 3,
  /** `svc_deal_to_deal_pipeline_stage` */
  dealToStage: 4,
} as const;

/** The slots of deals and stages in which their values are (see `schema/slots`). */
export const dealSlots = { amount: 'n1', unit: 's1', stage: 'u2' } as const;
export const stageSlots = { probability: 'n2', closed: 's1' } as const;
