import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CreateWebhookEndpointDto } from '../events/dto/create-webhook-endpoint.dto.js';
import { type Owner, WebhookEndpointsService } from '../events/webhook-endpoints.service.js';
import { PathId } from '../http/request.decorators.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { actorOf } from '../operators/action-log.js';
import { CurrentOperator, ForRole } from '../operators/console-access.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { EndpointIdDto } from './dto/merchants.dto.js';
import { type ChangedEndpointView } from './installation-views.js';

const MerchantId = () => PathId('merchant', '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e46');

/** /ops/api/merchants/:id/endpoints: what a merchant does to its webhook endpoints by the API, done for it. */
@Controller('ops/api/merchants/:id/endpoints')
export class ConsoleEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly merchants: MerchantsService,
  ) {}

  /** The secret is in this answer alone. */
  @Post()
  @HttpCode(200)
  @ForRole('admin')
  async create(
    @MerchantId() merchantId: string,
    @Body() request: CreateWebhookEndpointDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedEndpointView> {
    const owner = await this.ownerOf(merchantId, operator);
    return changed(await this.endpoints.create(owner, request.toValues()));
  }

  /** For 24 hours events are signed with both secrets. */
  @Post('rotate')
  @HttpCode(200)
  @ForRole('admin')
  async rotateSecret(
    @MerchantId() merchantId: string,
    @Body() { id }: EndpointIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedEndpointView> {
    return changed(await this.endpoints.rotateSecret(await this.ownerOf(merchantId, operator), id));
  }

  @Post('disable')
  @HttpCode(200)
  @ForRole('admin')
  async disable(
    @MerchantId() merchantId: string,
    @Body() { id }: EndpointIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedEndpointView> {
    return changed(await this.endpoints.disable(await this.ownerOf(merchantId, operator), id));
  }

  @Post('enable')
  @HttpCode(200)
  @ForRole('admin')
  async enable(
    @MerchantId() merchantId: string,
    @Body() { id }: EndpointIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedEndpointView> {
    return changed(await this.endpoints.enable(await this.ownerOf(merchantId, operator), id));
  }

  /** Sends an event of the type `ping` there. */
  @Post('ping')
  @HttpCode(200)
  @ForRole('operator')
  async ping(
    @MerchantId() merchantId: string,
    @Body() { id }: EndpointIdDto,
    @CurrentOperator() operator: SignedIn,
  ): Promise<ChangedEndpointView> {
    await this.endpoints.ping(await this.ownerOf(merchantId, operator), id);
    return changed({ id });
  }

  /** @throws Problem `not_found` */
  private async ownerOf(merchantId: string, operator: SignedIn): Promise<Owner> {
    const { testOf } = await this.merchants.get(merchantId);
    return {
      merchantId,
      isTest: testOf !== null,
      actor: actorOf(operator),
      sourceAddress: operator.sourceAddress,
    };
  }
}

function changed({ id, secret = null }: { id: string; secret?: string | null }): ChangedEndpointView {
  return { id, secret };
}
