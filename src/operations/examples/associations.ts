// Examples of listAssociated, putAssociation and deleteAssociation, on the people and the stage of a deal. A stage is a
// link like any other, except that leaving it writes a timer.
import type { Examples } from '../operation.ts';
import { contact, deal, exampleCursor, exampleIds, smallDeal } from './records.ts';

const stagePath = {
  object_type: 'svc_deal',
  id: exampleIds.deal,
  association_type: 'svc_deal_to_deal_pipeline_stage',
};
const peoplePath = { object_type: 'svc_deal', id: exampleIds.deal, association_type: 'svc_deal_to_contact' };
const linkedAt = '2026-11-16T09:30:00.000Z';
const source = { object_type: 'svc_deal', id: exampleIds.deal };
const toStage = { association_type: 'svc_deal_to_deal_pipeline_stage', source };
const toPerson = {
  association_type: 'svc_deal_to_contact',
  source,
  target: { object_type: 'svc_contact', id: exampleIds.contact },
};
const { svc_last_name, svc_email } = contact.properties;

export const listAssociatedExamples: Examples = {
  people: {
    summary: 'The people on a deal',
    path: peoplePath,
    query: { properties: 'svc_last_name,svc_email' },
    answer: {
      data: [{ ...contact, properties: { svc_last_name, svc_email }, associated_at: linkedAt }],
      pagination: { next_cursor: null },
    },
  },
  deals: {
    summary: 'From the other end: the deals of a company (`svc_company`, `svc_deal_to_company`)',
    path: { object_type: 'svc_company', id: exampleIds.company, association_type: 'svc_deal_to_company' },
    query: { direction: 'incoming', limit: '1' },
    answer: {
      data: [{ ...deal, associated_at: linkedAt }],
      pagination: { next_cursor: exampleCursor },
    },
  },
  next_page: {
    summary: 'The next page of these deals',
    path: { object_type: 'svc_company', id: exampleIds.company, association_type: 'svc_deal_to_company' },
    query: { direction: 'incoming', limit: '1', cursor: exampleCursor },
    answer: {
      data: [{ ...smallDeal, associated_at: linkedAt }],
      pagination: { next_cursor: null },
    },
  },
};

export const putAssociationExamples: Examples = {
  move: {
    summary: 'Move a deal to another stage; a timer records the time in the former one',
    path: { ...stagePath, target_id: exampleIds.proposal },
    answer: {
      data: {
        ...toStage,
        target: { object_type: 'svc_deal_pipeline_stage', id: exampleIds.proposal },
        changed: true,
        replaced_target_id: exampleIds.discovery,
        stage_timer_id: exampleIds.stageTimer,
      },
    },
  },
  repeat: {
    summary: 'The deal is already in that stage: nothing changes',
    path: { ...stagePath, target_id: exampleIds.discovery },
    answer: {
      data: {
        ...toStage,
        target: { object_type: 'svc_deal_pipeline_stage', id: exampleIds.discovery },
        changed: false,
      },
    },
  },
  guarded: {
    summary: 'Add a second person, if the deal is still at version 1; first as a dry run',
    path: { ...peoplePath, target_id: exampleIds.duplicate },
    headers: { 'If-Match': '"1"', 'Svc-Dry-Run': 'true' },
    answer: {
      data: { ...toPerson, target: { object_type: 'svc_contact', id: exampleIds.duplicate }, changed: true },
      dryRun: true,
    },
  },
};

export const deleteAssociationExamples: Examples = {
  person: {
    summary: 'Remove a person from a deal',
    path: { ...peoplePath, target_id: exampleIds.contact },
    answer: { data: { ...toPerson, changed: true } },
  },
  stage: {
    summary: 'Remove a deal from its stage; a timer records the time in it',
    path: { ...stagePath, target_id: exampleIds.discovery },
    answer: {
      data: {
        ...toStage,
        target: { object_type: 'svc_deal_pipeline_stage', id: exampleIds.discovery },
        changed: true,
        stage_timer_id: exampleIds.stageTimer,
      },
    },
  },
  guarded: {
    summary: 'Only if the deal is still at version 1; first as a dry run',
    path: { ...peoplePath, target_id: exampleIds.contact },
    headers: { 'If-Match': '"1"', 'Svc-Dry-Run': 'true' },
    answer: { data: { ...toPerson, changed: true }, dryRun: true },
  },
};
